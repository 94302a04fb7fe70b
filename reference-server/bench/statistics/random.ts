/** Random numbers from a seed, so that every run of a simulation can be repeated. */
export interface Random {
  /** From 0 to below 1. */
  uniform(): number;
  normal(): number;
  poisson(mean: number): number;
  /** A lognormal value with a mean of 1. */
  lognormal(sigma: number): number;
}

export function createRandom(seed: number): Random {
  let spare: number | undefined;
  const uniform = createUniform(seed);

  function normal(): number {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      const u = 2 * uniform() - 1;
      const v = 2 * uniform() - 1;
      const square = u * u + v * v;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      spare = v * factor;
      return u * factor;
    }
  }

  return {
    uniform,
    normal,
    poisson(mean) {
      const floor = Math.exp(-mean);
      let count = 0;
      for (let product = uniform(); product > floor; product *= uniform()) count++;
      return count;
    },
    lognormal: (sigma) => Math.exp(sigma * normal() - (sigma * sigma) / 2),
  };
}

/** The generator sfc32, whose first values are skipped because they show the seed. */
function createUniform(seed: number): () => number {
  let [a, b, c, d] = [seed | 0, seed ^ 0x9e3779b9, 0x243f6a88, 1];
  function next(): number {
    const sum = (a + b + d++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  }
  for (let skipped = 0; skipped < 16; skipped++) next();
  return next;
}
