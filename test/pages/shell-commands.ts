/** One command of a shell, with the variables that are set in front of it. */
export interface ShellCommand {
  readonly variables: readonly string[];
  readonly words: readonly string[];
}

/** Splits a script into words and the separators between commands; `$(…)` stays part of a word. */
class Reader {
  readonly commands: string[][] = [[]];
  readonly #text: string;
  #at = 0;
  #word: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): string[][] {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] as string);
    this.#endWord();
    return this.commands;
  }

  #step(char: string): void {
    if (char === "'" || char === '"') return this.#quoted(char);
    if (this.#text.startsWith('$(', this.#at)) return this.#nested();
    this.#at++;
    if (char === '\\') this.#escaped();
    else if (char === '#' && this.#word === null) this.#comment();
    else if (/[\n;|&]/.test(char)) this.#endCommand();
    else if (/\s/.test(char)) this.#endWord();
    else this.#word = (this.#word ?? '') + char;
  }

  #escaped(): void {
    const next = this.#text[this.#at++] ?? '';
    if (next !== '\n') this.#word = (this.#word ?? '') + next;
  }

  #quoted(quote: string): void {
    this.#word ??= '';
    for (this.#at++; this.#text[this.#at] !== quote; this.#at++) {
      if (this.#at >= this.#text.length) throw new Error(`a quote ${quote} is not closed`);
      const escapes = quote === '"' && /^\\["\\$`]/.test(this.#text.slice(this.#at, this.#at + 2));
      if (escapes) this.#at++;
      this.#word += this.#text[this.#at];
    }
    this.#at++;
  }

  /** What is in it is read as commands of their own. */
  #nested(): void {
    const end = this.#text.indexOf(')', this.#at);
    if (end < 0) throw new Error('$( is not closed');
    const inner = new Reader(this.#text.slice(this.#at + 2, end)).read();
    this.#word = `${this.#word ?? ''}$(…)`;
    this.commands.unshift(...inner);
    this.#at = end + 1;
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #endWord(): void {
    if (this.#word !== null) this.commands.at(-1)?.push(this.#word);
    this.#word = null;
  }

  #endCommand(): void {
    this.#endWord();
    this.commands.push([]);
  }
}

/** The commands of a sample, as far as pages use a shell; throws where a quote is not closed. */
export function shellCommands(text: string): ShellCommand[] {
  const commands = new Reader(text).read().filter((words) => words.length > 0);
  return commands.map((words) => {
    const first = words.findIndex((word) => !/^\w+=/.test(word));
    const at = first < 0 ? words.length : first;
    return { variables: words.slice(0, at), words: words.slice(at) };
  });
}
