type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
/** The types of JavaScript do not have the source of a value yet, which every supported Node.js passes on. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** A number as it is written, for comparisons: a double holds neither 2^53 + 1 nor a number past its range. */
class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * JSON for comparisons: every number is a `Decimal`, equal to another if both have the same value, however they are
 * written (`10`, `10.0`, `1e1`) and however many digits they have. Throws where the text is not JSON.
 */
export function parseExactly(text: string): unknown {
  return parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined ? new Decimal(canonical(source)) : value,
  );
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The digits without zeros at either end, and the power of ten that they are multiplied with. */
function canonical(source: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(source) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return `${sign}0`;
  const exponent = BigInt(power) + BigInt(digits.length - significant.length - fraction.length);
  return `${sign}${significant}e${exponent}`;
}
