import { conformanceSuite } from '../conformance/index.ts';
import { sqliteTarget } from './testing/sqlite-target.ts';

conformanceSuite(sqliteTarget);
