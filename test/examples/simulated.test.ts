// EXT-10: the tests that users copy are run as they are.
import '../../examples/etl/etl.test.ts';
import '../../examples/long-task/import-rows.test.ts';
import '../../examples/pipeline/nightly.test.ts';
import '../../examples/release/release.test.ts';
