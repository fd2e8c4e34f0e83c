/** Of a run or a task. */
export function isEnded(state: string): boolean {
  return !['PENDING', 'QUEUED', 'ASSIGNED', 'RUNNING', 'PAUSED'].includes(state);
}
