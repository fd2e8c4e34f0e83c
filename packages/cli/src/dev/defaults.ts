/** For a person at a terminal, who wants to see what goes wrong and nothing else. */
export const DEV_DEFAULTS = { 'log-level': 'warn', 'log-format': 'text' } as const;
