/**
 * What an expression may cost. Expressions are written by tenants and run on the node that owns other
 * tenants' work: none of them may hold its loop for longer than one commit takes, whatever the input.
 */
export const EXPRESSION_CHARS_MAX = 4_096;
export const EXPRESSION_NODES_MAX = 512;
export const EXPRESSION_DEPTH_MAX = 32;
export const LITERAL_ITEMS_MAX = 128;
export const CALL_ARGUMENTS_MAX = 8;

/** Units of work of one evaluation: one step of one node, 32 characters or 4 items touched. */
export const WORK_MAX = 50_000;

/** What a call costs before its arguments are weighed; reading a clock in a named zone is dear. */
export const CALL_WORK = 4;
export const ZONED_CALL_WORK = 500;

/** Characters that a search may compare for a unit of work. */
export const COMPARED_PER_WORK = 4_096;

/** What one swallowed error costs. */
export const ERROR_WORK = 5;

/** Units that the filters and mappings of one request may use together, … */
export const REQUEST_WORK_MAX = 8 * WORK_MAX;
/** … and those of everything that follows from the end of one run, inside its commit. */
export const END_WORK_MAX = WORK_MAX;

/** A template is a JSON value with expressions in it. */
export const TEMPLATE_EXPRESSIONS_MAX = 64;
export const TEMPLATE_DEPTH_MAX = 16;

/** Compiled programs that are kept; the least recently used goes first. */
export const PROGRAMS_KEPT = 2_000;
