// node bench/peers/temporal/build-server.ts: the Temporal server and its schema tool, from source.
import { installGoPrograms } from '../go-programs.ts';
import { TEMPORAL_PROGRAMS } from './server-programs.ts';

const problem = installGoPrograms(TEMPORAL_PROGRAMS.folder, TEMPORAL_PROGRAMS.paths);
process.stderr.write(`${problem ?? 'the Temporal server is built'}\n`);
process.exitCode = problem === null ? 0 : 1;
