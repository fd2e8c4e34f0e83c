export type { App } from './app.ts';
export { EXIT_CODES } from './exit-codes.ts';
export { runCommand } from './program.ts';
