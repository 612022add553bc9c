"""Every function of lax, jax.numpy, jax.nn and jax.random that the compiler supports."""

import rows
import rows_complex
import rows_corners
import rows_jnp
import rows_lax
import rows_programs

_PARTS = (rows, rows_lax, rows_jnp, rows_programs, rows_complex, rows_corners)
ROWS = [row for part in _PARTS for row in part.ROWS]
assert len({row.name for row in ROWS}) == len(ROWS), "two rows of one name"
