#include "cluster/training/dense_solve.h"

#include <cmath>

#include "base/check.h"

namespace trainyard::cluster {

Matrix cholesky(const Matrix& a) {
  Matrix l(a.size);
  for (size_t j = 0; j < a.size; ++j) {
    double diagonal = a.at(j, j);
    for (size_t k = 0; k < j; ++k) diagonal -= l.at(j, k) * l.at(j, k);
    TY_CHECK(diagonal > 0);
    l.at(j, j) = std::sqrt(diagonal);
    for (size_t i = j + 1; i < a.size; ++i) {
      double cell = a.at(i, j);
      for (size_t k = 0; k < j; ++k) cell -= l.at(i, k) * l.at(j, k);
      l.at(i, j) = cell / l.at(j, j);
    }
  }
  return l;
}

std::vector<double> solve(const Matrix& l, std::vector<double> b) {
  for (size_t i = 0; i < l.size; ++i) {
    for (size_t k = 0; k < i; ++k) b[i] -= l.at(i, k) * b[k];
    b[i] /= l.at(i, i);
  }
  for (size_t i = l.size; i-- > 0;) {
    for (size_t k = i + 1; k < l.size; ++k) b[i] -= l.at(k, i) * b[k];
    b[i] /= l.at(i, i);
  }
  return b;
}

}  // namespace trainyard::cluster
