// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrix in compressed rows, and the vector operations that the conjugate gradient method needs.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

template <typename Real> using vector_of = std::vector<Real>;

template <typename Real> class csr_matrix {
  public:
    // The columns and values of one row, for range-based for.
    class row_view {
      public:
        struct entry {
            std::size_t column;
            Real value;
        };
        class iterator {
          public:
            iterator(const std::size_t *column, const Real *value) : column_(column), value_(value) {}
            entry operator*() const { return {*column_, *value_}; }
            iterator &operator++() {
                ++column_;
                ++value_;
                return *this;
            }
            bool operator!=(const iterator &other) const { return column_ != other.column_; }

          private:
            const std::size_t *column_;
            const Real *value_;
        };
        row_view(const std::size_t *columns, const Real *values, std::size_t size)
            : columns_(columns), values_(values), size_(size) {}
        iterator begin() const { return {columns_, values_}; }
        iterator end() const { return {columns_ + size_, values_ + size_}; }

      private:
        const std::size_t *columns_;
        const Real *values_;
        std::size_t size_;
    };

    // `fill(row, add)` calls add(column, value) for each entry of the row.
    template <typename Fill> csr_matrix(std::size_t rows, Fill fill) : starts_{0} {
        for (std::size_t row = 0; row < rows; ++row) {
            fill(row, [this](std::size_t column, Real value) {
                columns_.push_back(column);
                values_.push_back(value);
            });
            starts_.push_back(columns_.size());
        }
    }

    std::size_t rows() const { return starts_.size() - 1; }
    std::size_t entries() const { return values_.size(); }
    row_view row(std::size_t r) const {
        return {columns_.data() + starts_[r], values_.data() + starts_[r], starts_[r + 1] - starts_[r]};
    }

    // y := A x. Each row on its own: no thread writes what another reads.
    void multiply(const vector_of<Real> &x, vector_of<Real> &y) const {
#pragma omp parallel for schedule(static)
        for (std::size_t r = 0; r < rows(); ++r) {
            Real sum{};
            for (auto [column, value] : row(r))
                sum += value * x[column];
            y[r] = sum;
        }
    }

  private:
    std::vector<std::size_t> starts_, columns_;
    std::vector<Real> values_;
};

// Worksharing loop around any expression: what is done per element is the caller's lambda, inlined here.
template <typename Body> void for_each_index(std::size_t count, Body body) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i)
        body(i);
}

template <typename Real> Real dot(const vector_of<Real> &x, const vector_of<Real> &y) {
    Real sum{};
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += x[i] * y[i];
    return sum;
}

// Where the largest component is, and how large. OpenMP has no reduction for a pair, so each thread finds its own
// and then they take turns in the critical section.
template <typename Real> std::pair<std::size_t, Real> largest(const vector_of<Real> &x) {
    std::pair<std::size_t, Real> best{0, Real{}};
#pragma omp parallel
    {
        std::pair<std::size_t, Real> mine{0, Real{}};
#pragma omp for schedule(static) nowait
        for (std::size_t i = 0; i < x.size(); ++i)
            if (const Real size = std::fabs(x[i]); size > mine.second)
                mine = {i, size};
#pragma omp critical
        if (mine.second > best.second || (mine.second == best.second && mine.first < best.first))
            best = mine;
    }
    return best;
}
