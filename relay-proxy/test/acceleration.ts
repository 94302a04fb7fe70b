/** How many times faster the clock of an accelerated relay runs: an hour takes 12 seconds. */
export const ACCELERATION = 300;
