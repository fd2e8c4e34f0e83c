/** A text, and whether it stands in brackets behind `tasks`: there it is the name of one. */
const TEXT = /(\btasks\s*\[\s*)?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g;
const MEMBER = /(?<![.\w])tasks\s*(?:\.\s*([A-Za-z_]\w*)|\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\])/g;

/**
 * The tasks that a condition names, as `tasks.load` or `tasks["load-all"]`. What is put together when it
 * is evaluated is not seen here.
 */
export function namedTasks(expression: string): string[] {
  const code = expression.replace(TEXT, (text, bracket?: string) => (bracket ? text : '""'));
  return [...code.matchAll(MEMBER)].map(([, a, b, c]) => a ?? b ?? c ?? '');
}
