#pragma once
// Small symmetric positive definite systems.
#include <cstddef>
#include <vector>

namespace trainyard::cluster {

// A square matrix by rows.
struct Matrix {
  explicit Matrix(size_t n) : size(n), cells(n * n, 0.0) {}
  double& at(size_t row, size_t column) { return cells[row * size + column]; }
  double at(size_t row, size_t column) const { return cells[row * size + column]; }

  size_t size;
  std::vector<double> cells;
};

// The lower Cholesky factor. `a` must be positive definite.
Matrix cholesky(const Matrix& a);
// x with L L' x = b.
std::vector<double> solve(const Matrix& lower, std::vector<double> b);

}  // namespace trainyard::cluster
