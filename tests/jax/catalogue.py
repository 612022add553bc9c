"""Every function of lax, jax.numpy, jax.nn and jax.random that the compiler supports."""

import rows
import rows_corners
import rows_jnp
import rows_lax
import rows_programs

ROWS = rows.ROWS + rows_lax.ROWS + rows_jnp.ROWS + rows_programs.ROWS + rows_corners.ROWS
assert len({row.name for row in ROWS}) == len(ROWS), "two rows of one name"
