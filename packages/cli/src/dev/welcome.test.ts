import { expect, it } from 'vitest';
import { fakeApp } from '../testing/fake-app.ts';
import { printWelcome } from './welcome.ts';

function welcome(folder: string): string {
  const app = fakeApp({ command: './signalbox' });
  printWelcome({ app, url: 'http://127.0.0.1:7070', folder, keyFile: "/srv/Ada's/key" });
  return app.texts.out;
}

it('shows commands that need nothing more where the data is in the usual folder', () => {
  expect(welcome('.signalbox')).toContain('\n  ./signalbox submit hello Ada --wait ');
  expect(welcome('.signalbox')).not.toContain('SIGNALBOX_DATA');
});

it('shows how to read the key from its file', () => {
  expect(welcome('.signalbox')).toContain(
    `\n  export SIGNALBOX_KEY="$(cat '/srv/Ada'\\''s/key')"\n`,
  );
});

it('shows commands that ask this node, and not the one of the usual folder', () => {
  const out = welcome('other');
  expect(out).toContain('\n  SIGNALBOX_DATA=other ./signalbox submit hello Ada --wait ');
  expect(out).toContain('slow && SIGNALBOX_DATA=other ./signalbox logs last -f');
  expect(welcome("Ada's")).toContain("\n  SIGNALBOX_DATA='Ada'\\''s' ./signalbox submit flaky");
});
