import { conformanceSuite } from '../conformance/index.ts';
import { memoryTarget } from '../conformance/memory-target.ts';

conformanceSuite(memoryTarget);
