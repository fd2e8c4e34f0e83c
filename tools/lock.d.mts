export function withLock<Result>(
  file: string,
  work: () => Result | Promise<Result>,
): Promise<Result>;
