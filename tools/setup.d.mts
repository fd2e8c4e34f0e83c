export function fetchNode(name: 'runtime' | 'runtime-22'): Promise<string>;
