export * from './loop/index.ts';
