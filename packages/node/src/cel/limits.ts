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
export const CHARS_PER_WORK = 32;

/** What a call costs before its arguments are weighed; reading a clock in a named zone is dear. */
export const CALL_WORK = 4;
export const ZONED_CALL_WORK = 500;

/** Characters that a search may compare for a unit of work. */
export const COMPARED_PER_WORK = 4_096;

/** Characters of `duration()` whose cube is a unit of work: its pattern is tried from every place and in every split. */
export const DURATION_CUBE_PER_WORK = 256;

/** Writing a duration with a fraction goes through the number format of a language. */
export const DURATION_TEXT_WORK = 250;

/** Levels of a list or map that the type of an operand describes; deeper values are `dyn`. */
export const TYPE_DEPTH_MAX = 4;

/** The library quotes operands in its errors, and an operand may have the length of an event. */
export const REASON_CHARS_MAX = 500;

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
