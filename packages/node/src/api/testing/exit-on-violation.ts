// For nodes in processes of their own, with `--import`: a response that the API document does not declare ends the
// process, so that the test which depends on it fails.
import { watchResponses } from './watch-responses.ts';

const EXIT_CODE = 70;

watchResponses((violations) => {
  if (violations.length === 0) return;
  process.stderr.write(`undeclared response: ${violations.join('\n')}\n`);
  process.exit(EXIT_CODE);
});
