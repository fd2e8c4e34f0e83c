import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type PublicName, publicNames, wordsOf } from './public-names.ts';

/** Plain English, and words of programming that mean here what they mean everywhere. */
const PLAIN = new Set(
  (
    'action active after age all any api args ascii at author available back bad base64 before by call change ' +
    'changed close code comment conflict count create created default delete deleted description done ' +
    'duration end ended error existing expires export field file for format found from get handle ' +
    'handled has hash id if ignored import imported in internal invalid ip is jsonified kind large last left list ' +
    'mark max media message min name new next not note number object of ok on only open optional option or order out ' +
    'over params path per policy query read ref requested running satisfiable seen sha256 show start started ' +
    'starting style test text times to too total type unavailable unknown unsupported until update value yes'
  ).split(' '),
);

/** Words that were replaced by those of the field; a new name must not bring them back. */
const REPLACED = new Set(
  (
    'ail answer apart book briskness class company critical fleet follow freshen group head hear heard ' +
    'hears hurry klass lane look looks neighbour owe pack part peer redrive restate roster ' +
    'saying settle step strike supplier supply view vouched word'
  ).split(' '),
);

/** Whole names of before, made of words that are fine: another name has taken the place of each. */
const FORMER = new Set(
  (
    'attemptsMax fixedDelayMs timeouts hardMs progressMs timeoutMs delayMs delayMaxMs expectedMs forMs everyMs ' +
    'jitterMs runsMax runningMax fanOutMax redirectsMax dueAt unique patienceMs ' +
    'tz --tz --api-key --slots --at --start enabled'
  ).split(' '),
);

/** Parts of longer names, but no names by themselves: they do not say what they are. */
const NOT_ALONE = new Set('bare given known made of said told wanted'.split(' '));

/** Names that use a replaced word, or a word of a standard, nonetheless. */
const EXCEPTIONS = new Set([
  // As `docker logs --follow` and `kubectl logs --follow`.
  'follow',
  '--follow',
  // A task "is critical" in the requirements; the option has their word.
  'critical',
  // The SDK's types of what the API shows, beside its classes and functions of the same noun.
  'AttemptView',
  'JobView',
  'RunView',
  'TaskView',
  'view',
  // A task inside of `pipeline()`, before there is a run; one item of a fan-out.
  'Step',
  'StepOptions',
  'Part',
  'Parts',
  // Headers that HTTP, W3C, CloudEvents and the senders of webhooks define.
  'If-Match',
  'If-None-Match',
  'traceparent',
  'X-Api-Key',
  'ce-specversion',
  'ce-id',
  'ce-source',
  'ce-type',
  'X-Hub-Signature-256',
  'X-GitHub-Delivery',
  'X-GitHub-Event',
  'Stripe-Signature',
  'webhook-signature',
]);

function glossary(): Set<string> {
  const page = readFileSync(new URL('../../docs/concepts.md', import.meta.url), 'utf8');
  const rows = page.slice(page.indexOf('## Glossary')).matchAll(/^\| (`[^|]+`) \|/gm);
  return new Set([...rows].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []));
}

function isIn(words: ReadonlySet<string>, word: string): boolean {
  const singulars = [
    word,
    word.replace(/s$/, ''),
    word.replace(/es$/, ''),
    word.replace(/ies$/, 'y'),
  ];
  return singulars.some((each) => words.has(each));
}

/** One line for each word of a public name that a reader could not look up. */
function problemsOf(names: readonly PublicName[]): string[] {
  const words = glossary();
  return names.flatMap(({ name, place }) => {
    if (EXCEPTIONS.has(name)) return [];
    if (FORMER.has(name)) return [`${name} (${place}): has another name now`];
    if (NOT_ALONE.has(name)) return [`${name} (${place}): does not say what it is`];
    return wordsOf(name).flatMap((word) => {
      if (isIn(REPLACED, word)) return [`${name} (${place}): "${word}" was replaced`];
      if (isIn(words, word) || isIn(PLAIN, word)) return [];
      return [`${name} (${place}): "${word}" is not in the glossary of docs/concepts.md`];
    });
  });
}

describe('public names', () => {
  const names = publicNames();

  it('are made of the words of the glossary', () => {
    expect(problemsOf(names)).toEqual([]);
  });

  it('with an unknown or a replaced word are named', () => {
    const place = 'option of the SDK';
    expect(problemsOf([{ name: 'flurbDelay', place }])).toEqual([
      'flurbDelay (option of the SDK): "flurb" is not in the glossary of docs/concepts.md',
    ]);
    expect(problemsOf([{ name: '--class', place }])).toEqual([
      '--class (option of the SDK): "class" was replaced',
    ]);
    expect(problemsOf([{ name: 'attemptsMax', place }])).toEqual([
      'attemptsMax (option of the SDK): has another name now',
    ]);
    expect(problemsOf([{ name: 'of', place }])).toEqual([
      'of (option of the SDK): does not say what it is',
    ]);
  });

  it('come from every place where users meet them', () => {
    const has = (place: string, name: string) =>
      names.some((each) => each.place === place && each.name === name);
    expect(has('export of the SDK', 'Signalbox')).toBe(true);
    expect(has('option of the SDK', 'idempotencyKey')).toBe(true);
    expect(has('method of the SDK', 'submitMany')).toBe(true);
    expect(has('error code', 'not_found')).toBe(true);
    expect(has('log event', 'worker.attached')).toBe(true);
    expect(has('metric', 'queued_tasks')).toBe(true);
    expect(has('metric', 'priority')).toBe(true);
    expect(has('setting', 'log-level')).toBe(true);
    expect(has('HTTP API', '/runs/{id}')).toBe(true);
    expect(has('HTTP API', 'submittedBy')).toBe(true);
    expect(has('command of signalbox', 'submit')).toBe(true);
    expect(has('option of signalbox runs list', '--priority')).toBe(true);
  });

  it('every exception is a name that exists', () => {
    const known = new Set(names.map(({ name }) => name));
    expect([...EXCEPTIONS].filter((name) => !known.has(name))).toEqual([]);
  });
});
