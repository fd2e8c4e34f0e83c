/**
 * The journal has the time at which a node decided, by its estimate of the store's clock. What observers
 * saw by the machine's clock is moved by this much, away from what it is compared with, so that no order
 * is claimed that nobody knows.
 */
export const CLOCKS_MS = 2_000;
