"""Writes tables.json: what SciPy and statsmodels compute for the same questions as the TypeScript beside it.

Run with Debian's packages python3-scipy and python3-statsmodels: `python3 make-tables.py > tables.json`.
Each expectation takes another way than the code that it checks: integrals and root searches instead of formulas.
"""

import json
import math
import random

import numpy
from scipy import integrate, optimize, stats
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

random.seed(20261128)


def numbers(count, draw, digits=3):
    return [round(draw(), digits) for _ in range(count)]


def normals():
    points = [-37, -20, -8, -5.5, -4, -3.001, -3, -2.999, -2, -1, -0.1, 0, 1e-8, 0.5, 1.96, 3, 3.5, 5, 8, 12]
    quantiles = [1e-300, 1e-30, 1e-9, 1e-4, 0.01, 0.025, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.975, 0.999, 0.9999999]
    return [
        {"x": x, "probability": stats.norm.cdf(x), "density": stats.norm.pdf(x)} for x in points
    ], [{"probability": p, "x": stats.norm.ppf(p)} for p in quantiles]


def means():
    draws = [
        lambda: random.lognormvariate(0, 1),
        lambda: float(random.random() < 0.2),
        lambda: float(int(random.expovariate(0.3))),
        lambda: random.gauss(1e6, 1),
    ]
    for index in range(40):
        draw = draws[index % len(draws)]
        control, treatment = numbers(random.randint(8, 20), draw), numbers(random.randint(8, 20), draw)
        both = CompareMeans(DescrStatsW(treatment), DescrStatsW(control))
        yield {
            "control": control,
            "treatment": treatment,
            "difference": float(numpy.mean(treatment) - numpy.mean(control)),
            "error": float(both.std_meandiff_separatevar),
        }


def ratios():
    for _ in range(40):
        count = random.randint(8, 20)
        below = [float(random.randint(1, 9)) for _ in range(count)]
        above = [round(value * random.random() * 3, 2) for value in below]
        value = sum(above) / sum(below)
        covariance = numpy.cov(above, below, ddof=1) / count
        gradient = numpy.array([1, -value]) / numpy.mean(below)
        yield {
            "numerators": above,
            "denominators": below,
            "value": value,
            "variance": float(gradient @ covariance @ gradient),
        }


def rho(alpha, tuning):
    log = -2 * math.log(alpha)
    return math.sqrt((log + math.log(log + 1)) / tuning)


def two_sided(units, alpha, tuning):
    """The deviation at which the mixture of all likelihood ratios reaches 1 / alpha, by numerical integration."""
    scale = rho(alpha, tuning) * math.sqrt(units)

    def log_mixture(errors):
        # The integrand is a bell around this maximum; it is integrated relative to its height.
        peak = scale**2 * errors / (scale**2 + 1)
        height = peak * errors - peak**2 / 2 - (peak / scale) ** 2 / 2
        width = scale / math.sqrt(scale**2 + 1)
        value, _ = integrate.quad(
            lambda at: math.exp(at * errors - at**2 / 2 - (at / scale) ** 2 / 2 - height),
            peak - 12 * width,
            peak + 12 * width,
            epsabs=0,
            epsrel=1e-13,
            limit=200,
        )
        return height + math.log(value / (scale * math.sqrt(2 * math.pi)))

    return optimize.brentq(lambda errors: log_mixture(errors) + math.log(alpha), 0.5, 60, xtol=1e-14, rtol=1e-14)


def sequences():
    for _ in range(40):
        units, tuning = int(10 ** random.uniform(2, 7)), int(10 ** random.uniform(2.5, 6))
        alpha = random.choice([0.001, 0.01, 0.05, 0.1])
        scale = units * rho(2 * alpha, tuning) ** 2
        one_sided = math.sqrt(2 * (scale + 1) / scale * math.log(1 + math.sqrt(scale + 1) / (2 * alpha)))
        yield {
            "units": units,
            "alpha": alpha,
            "tuningUnits": tuning,
            "twoSided": two_sided(units, alpha, tuning),
            "oneSided": one_sided,
        }


def lifts():
    for _ in range(40):
        control = {"units": random.randint(200, 9999), "value": random.uniform(0.01, 50)}
        treatment = {"units": random.randint(200, 9999), "value": control["value"] * random.uniform(0.6, 1.6)}
        for arm in (control, treatment):
            arm["variance"] = (arm["value"] * random.uniform(0.01, 0.08)) ** 2
        alpha, tuning = 0.05, 5000
        width = two_sided(control["units"] + treatment["units"], alpha, tuning)

        def excess(factor):
            error = math.sqrt(treatment["variance"] + factor**2 * control["variance"])
            return abs(treatment["value"] - factor * control["value"]) - width * error

        middle = treatment["value"] / control["value"]
        yield {
            "control": control,
            "treatment": treatment,
            "low": optimize.brentq(excess, -5, middle, xtol=1e-15, rtol=1e-14) - 1,
            "high": optimize.brentq(excess, middle, 20, xtol=1e-15, rtol=1e-14) - 1,
        }


def sample_ratios():
    for index in range(40):
        arms = random.choice([2, 2, 3, 4])
        parts = [random.randint(1, 9) for _ in range(arms)] if index % 2 else [1] * arms
        shares = [part / sum(parts) for part in parts]
        counts = [int(random.randint(0, 20000) * share * random.uniform(0.9, 1.1)) for share in shares]
        terms = [-math.log(1000 + k) for k in range(sum(counts))]
        for count, share in zip(counts, shares):
            terms += [math.log(1000 * share + k) for k in range(count)]
            terms += [-math.log(share)] * count
        yield {"counts": counts, "shares": shares, "logBayesFactor": math.fsum(terms)}


def readings():
    for _ in range(30):
        control = {"units": 500, "value": random.uniform(0.05, 20)}
        treatment = {"units": 500, "value": control["value"] * random.uniform(0.8, 1.25)}
        for arm in (control, treatment):
            arm["variance"] = (arm["value"] * random.uniform(0.02, 0.2)) ** 2
        lift = treatment["value"] / control["value"] - 1
        deviation = math.sqrt(control["variance"] + treatment["variance"]) / control["value"]
        at = lift / (1 + (deviation / 0.3) ** 2)
        spread = deviation / math.sqrt(1 + (deviation / 0.3) ** 2)
        posterior = lambda x: stats.norm.pdf(x, lift, deviation) * stats.norm.pdf(x, 0, 0.3)
        bounds = (at - 15 * spread, at + 15 * spread)
        integral = lambda function, low, high: integrate.quad(function, low, high, epsabs=0, epsrel=1e-12, limit=200)[0]
        whole = integral(posterior, bounds[0], at) + integral(posterior, at, bounds[1])
        yield {
            "control": control,
            "treatment": treatment,
            "chanceAbove": (integral(posterior, 0, at) + integral(posterior, at, bounds[1])) / whole,
            "expectedLoss": integral(lambda x: -x * posterior(x), bounds[0], 0) / whole if bounds[0] < 0 else 0.0,
        }


def plans():
    for _ in range(25):
        mean, lift = random.uniform(0.02, 0.4), random.choice([-0.1, 0.02, 0.05, 0.1, 0.2])
        share = random.choice([0.5, 0.5, 0.2])
        power, alpha, tuning = random.choice([0.8, 0.9]), random.choice([0.01, 0.05]), random.choice([2000, 5000, 50000])

        def reserve(units):
            arm = mean * (1 - mean) * max(1, 1 + lift) ** 2
            error = math.sqrt((mean * (1 - mean) / share + arm / (1 - share)) / units)
            scale = units * rho(alpha, tuning) ** 2
            width = math.sqrt(2 * (scale + 1) / scale * math.log(math.sqrt(scale + 1) / alpha))
            return abs(mean * lift) / error - width - stats.norm.ppf(power)

        yield {
            "mean": mean,
            "lift": lift,
            "shares": [share, 1 - share],
            "power": power,
            "alpha": alpha,
            "tuningUnits": tuning,
            "units": math.ceil(optimize.brentq(reserve, 2, 1e12, xtol=1e-6, rtol=1e-14, maxiter=500)),
        }


probabilities, quantiles = normals()
tables = {
    "probabilities": probabilities,
    "quantiles": quantiles,
    "means": list(means()),
    "ratios": list(ratios()),
    "sequences": list(sequences()),
    "lifts": list(lifts()),
    "sampleRatios": list(sample_ratios()),
    "readings": list(readings()),
    "plans": list(plans()),
}
# One case a line, so that a new case is one line of a diff.
groups = (f' {json.dumps(name)}: [\n  ' + ",\n  ".join(json.dumps(case) for case in cases) + "\n ]" for name, cases in tables.items())
print("{\n" + ",\n".join(groups) + "\n}")
