// The first import of every entry. The modules behind it fail on an old Node.js with errors that do not name the
// cause, such as a function that is not there. A module that cannot even be linked would fail before this one runs:
// what an old Node.js does not export is therefore not imported by its name (`crypto.hash`).
import { nodeProblem } from '@signalbox/protocol/required-node';

const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  throw new Error(
    `${problem}: run this program, or the test runner that loads it, with Node.js 24`,
  );
}
