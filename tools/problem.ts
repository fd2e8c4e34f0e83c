/** Something a check found, at a place an editor can jump to. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export function formatProblem({ file, line, message }: Problem): string {
  return `${file}:${line}: ${message}`;
}

/** Prints problems and sets the exit code; returns nothing so that a caller ends with it. */
export function reportProblems(problems: readonly Problem[]): void {
  for (const problem of problems) process.stdout.write(`${formatProblem(problem)}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
