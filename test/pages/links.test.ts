import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { PAGES, pageText, ROOT } from './blocks.ts';

const withoutCode = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** As GitHub makes the anchor of a heading. */
function anchorOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(page: string): Set<string> {
  const headings = withoutCode(pageText(page)).matchAll(/^#+ (.+)$/gm);
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)));
}

/** What is wrong with a link of the page, or null. */
function problemOf(page: string, link: string): string | null {
  const [file = '', anchor = ''] = link.split('#');
  const target = file === '' ? page : normalize(join(dirname(page), file));
  if (!existsSync(join(ROOT, target))) return `${link}: there is no ${target}`;
  if (anchor === '' || !target.endsWith('.md')) return null;
  return anchorsOf(target).has(anchor) ? null : `${link}: ${target} has no heading #${anchor}`;
}

const ADR_FOLDER = 'docs/adr';
const ADRS = readdirSync(join(ROOT, ADR_FOLDER)).map((name) => `${ADR_FOLDER}/${name}`);

it.each([...PAGES, 'CHANGELOG.md', ...ADRS])(
  '%s links to files and headings that exist',
  (page) => {
    const links = [...withoutCode(pageText(page)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^\w+:/.test(link));
    expect(
      links.map((link) => problemOf(page, link)).filter((problem) => problem !== null),
    ).toEqual([]);
  },
);

it('finds a link to a file and to a heading that are not there', () => {
  expect(problemOf('README.md', 'docs/absent.md')).not.toBeNull();
  expect(problemOf('README.md', 'docs/sdk.md#absent')).not.toBeNull();
  expect(problemOf('README.md', 'docs/concepts.md#glossary')).toBeNull();
});
