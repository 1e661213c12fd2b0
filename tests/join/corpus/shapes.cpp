// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ for the symbol test: templates, lambdas, member functions, calls inlined several levels deep.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace geometry {

template <class T> struct point {
    T x, y;
    T dot(const point &o) const {
        return x * o.x + y * o.y;
    }
};

class shape {
  public:
    virtual ~shape() = default;
    virtual double area() const = 0;
};

class polygon final : public shape {
    std::vector<point<double>> corners;

  public:
    explicit polygon(int n) {
        for (int i = 0; i < n; i++)
            corners.push_back({i * 0.5, i * i * 0.25});
    }
    double area() const override {
        double sum = 0;
        for (size_t i = 0; i + 1 < corners.size(); i++)
            sum += corners[i].x * corners[i + 1].y - corners[i + 1].x * corners[i].y;
        return sum / 2;
    }
    double moment() const {
        double sum = 0;
        for (const auto &c : corners)
            sum += c.dot(c);
        return sum;
    }
};

} // namespace geometry

double run_shapes(int n) {
    std::vector<std::unique_ptr<geometry::shape>> shapes;
    std::map<std::string, double> by_name;
    double total = 0;
    for (int i = 3; i < n; i++)
        shapes.push_back(std::make_unique<geometry::polygon>(i));
    std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) { return a->area() < b->area(); });
    for (const auto &s : shapes) {
        by_name[std::to_string(static_cast<int>(s->area()) % 17)] += s->area();
        if (auto *p = dynamic_cast<geometry::polygon *>(s.get()))
            total += p->moment();
    }
    for (const auto &[name, value] : by_name)
        total += value + static_cast<double>(name.size());
    return total;
}
