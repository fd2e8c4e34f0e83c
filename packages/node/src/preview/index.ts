// An entry of its own: the command shows windows without loading what a node is made of.
export { describeCron } from '@signalbox/engine';
export * from './mark-windows.ts';
export * from './preview-windows.ts';
