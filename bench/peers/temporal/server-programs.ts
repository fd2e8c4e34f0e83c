import { join } from 'node:path';
import { goProgram } from '../go-programs.ts';

export const TEMPORAL_SERVER_VERSION = '1.32.1';

/** What `go install` makes; programs are named after the last part of their path. */
export const TEMPORAL_PROGRAMS = {
  folder: 'temporal-server',
  paths: ['cmd/server', 'cmd/tools/sql'].map(
    (path) => `go.temporal.io/server/${path}@v${TEMPORAL_SERVER_VERSION}`,
  ),
} as const;

export const temporalServer = join(goProgram(TEMPORAL_PROGRAMS.folder), 'server');
export const temporalSqlTool = join(goProgram(TEMPORAL_PROGRAMS.folder), 'sql');
