import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError, type SettingsSources } from './read-settings.ts';
import { defaultText, SETTINGS, type Setting, settingNamesOf } from './table.ts';

const read = (sources: Partial<SettingsSources>) =>
  readSettings({ parts: ['node', 'worker'], flags: {}, environment: {}, ...sources });
const file = (content: unknown) => ({ path: 'signalbox.yaml', content });

describe('readSettings', () => {
  it('takes the flag before the environment before the file before the default', () => {
    const all = {
      flags: { port: '1' },
      environment: { SIGNALBOX_PORT: '2' },
      file: file({ port: 3 }),
    };
    expect(read(all).values.port).toBe(1);
    expect(read({ ...all, flags: {} }).values.port).toBe(2);
    expect(read({ file: all.file }).values.port).toBe(3);
    expect(read({}).values.port).toBe(7070);
    expect(read(all).sourceOf('port')).toBe('--port');
    expect(read({ ...all, flags: {} }).sourceOf('port')).toBe('SIGNALBOX_PORT');
    expect(read({ file: all.file }).sourceOf('port')).toBe('signalbox.yaml');
    expect(read({}).isGiven('port')).toBe(false);
  });

  it.each([
    [
      { flags: { port: 'x' } },
      'setting port from --port must be a whole number from 0 to 65535, not "x"',
    ],
    [
      { environment: { SIGNALBOX_PORT: '70000' } },
      'setting port from SIGNALBOX_PORT must be a whole',
    ],
    [
      { file: file({ concurrency: 0 }) },
      'setting concurrency from signalbox.yaml must be a whole number from 1 to 100000, not 0',
    ],
    [
      { flags: { concurrency: 'NaN' } },
      'setting concurrency from --concurrency must be a whole number',
    ],
    [
      { file: file({ concurrency: Number.NaN }) },
      'setting concurrency from signalbox.yaml must be',
    ],
    [
      { environment: { SIGNALBOX_CONCURRENCY: 'Infinity' } },
      'setting concurrency from SIGNALBOX_CONCURRENCY must be',
    ],
    [{ file: file({ prot: 1 }) }, 'unknown setting "prot" in signalbox.yaml'],
    [{ file: file([1]) }, 'signalbox.yaml does not contain settings'],
    [{ flags: { 'log-level': 'loud' } }, 'must be one of trace, debug'],
    [{ flags: { 'grace-period': '30' } }, 'must be a duration such as 500ms'],
    [{ flags: { labels: 'ssd' } }, 'setting labels from --labels must be pairs'],
    [
      { flags: { 'http-ports': '443,8090-8080' } },
      'setting http-ports from --http-ports must be a list of ports',
    ],
    [{ flags: { 'http-ports': '0' } }, 'must be a list of ports and port ranges'],
    [{ flags: { 'http-ports': '443,' } }, 'must be a list of ports and port ranges'],
    [{ file: file({ 'http-ports': [70000] }) }, 'must be a list of ports and port ranges'],
    [{ flags: { 'trusted-proxies': '10.0.0.5,proxy' } }, 'must be a list of IP addresses'],
    [{ flags: { 'trusted-proxies': '10.0.0.0/33' } }, 'must be a list of IP addresses'],
    [
      { flags: { 'placement-weights': 'locality=-1' } },
      'setting placement-weights from --placement-weights must be weights from 0 to 1000',
    ],
    [{ flags: { 'placement-weights': 'tightness=1' } }, 'must be weights from 0 to 1000'],
    [{ file: file({ 'placement-weights': { balance: 'much' } }) }, 'must be weights'],
    [{ file: file({ 'placement-weights': [1, 2] }) }, 'must be weights'],
    [{ environment: { SIGNALBOX_ALLOW_COMMAND: 'yes please' } }, 'must be true or false'],
  ])('stops at %j with one line', (sources, message) => {
    expect(() => read(sources)).toThrow(SettingsError);
    expect(() => read(sources)).toThrow(message);
  });

  it('does not repeat a secret in a message', () => {
    expect(() => read({ file: file({ key: ['hunter2'] }) })).toThrow(
      'setting key from signalbox.yaml must be text',
    );
  });

  it('reads ports and ranges of ports', () => {
    const ports = (sources: Partial<SettingsSources>) => read(sources).values['http-ports'];
    expect(ports({})).toEqual([443, 80, 8443]);
    expect(ports({ flags: { 'http-ports': '443, 8080-8090' } })).toEqual([443, [8080, 8090]]);
    expect(ports({ file: file({ 'http-ports': [443, '8080-8090'] }) })).toEqual([
      443,
      [8080, 8090],
    ]);
    expect(ports({ file: file({ 'http-ports': 9000 }) })).toEqual([9000]);
  });

  it('PLC-03 reads the weights of placement, and leaves the others as they are', () => {
    const weights = (sources: Partial<SettingsSources>) =>
      read(sources).values['placement-weights'];
    expect(weights({})).toEqual({});
    expect(weights({ flags: { 'placement-weights': 'tight-fit=0.5, zone-spread=10' } })).toEqual({
      tightFit: 0.5,
      zoneSpread: 10,
    });
    const content = { 'placement-weights': { locality: 0, balance: 3 } };
    expect(weights({ file: file(content) })).toEqual({ locality: 0, balance: 3 });
  });

  it('reads lists, pairs and times from text and from a file alike', () => {
    const fromText = read({
      flags: { url: 'http://a, http://b', labels: 'disk=ssd,arch=arm64', 'grace-period': '1.5s' },
    }).values;
    const fromFile = read({
      file: file({
        url: ['http://a', 'http://b'],
        labels: { disk: 'ssd', arch: 'arm64' },
        'grace-period': '1500ms',
      }),
    }).values;
    expect(fromText.url).toEqual(['http://a', 'http://b']);
    expect(fromText.labels).toEqual({ disk: 'ssd', arch: 'arm64' });
    expect(fromText['grace-period']).toBe(1_500);
    expect(fromFile).toEqual(fromText);
  });

  it('leaves alone what only another part reads', () => {
    const environment = { SIGNALBOX_PORT: 'x', SIGNALBOX_CONCURRENCY: '3' };
    expect(read({ parts: ['worker'], environment }).values.concurrency).toBe(3);
  });
});

describe('docs/settings.md', () => {
  const page = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8');

  it('has one row for each setting, as the table has it', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const expected = Object.entries(SETTINGS).map(([name, each]) => {
      const setting = each as Setting<unknown>;
      const fallback = defaultText(setting) === '' ? '' : `\`${defaultText(setting)}\``;
      const cells = [`\`${name}\``, `\`${setting.flag}\``, `\`${setting.environment}\``];
      return `| ${[...cells, setting.parts.join(', '), fallback, setting.help].join(' | ')} |`;
    });
    expect(rows).toEqual(expected);
  });

  it('every part has settings', () => {
    for (const part of ['node', 'worker', 'client'] as const) {
      expect(settingNamesOf(part).length).toBeGreaterThan(2);
    }
  });
});
