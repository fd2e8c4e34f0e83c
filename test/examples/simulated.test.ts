// EXT-10: the tests that users copy are run as they are.
import '../../examples/long-task/import-rows.test.ts';
import '../../examples/pipeline/nightly.test.ts';
