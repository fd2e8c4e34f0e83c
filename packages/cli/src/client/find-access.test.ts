import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@signalbox/node/settings';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, writeDevState } from '../data-folder/data-folder.ts';
import { lockFolder } from '../data-folder/lock-folder.ts';
import { devKey } from '../dev/dev-key.ts';
import { fakeApp } from '../testing/fake-app.ts';
import { findAccess, findWorkerAccess } from './find-access.ts';

let cwd = '';
let folder = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'signalbox-access-'));
  folder = join(cwd, '.signalbox');
  makeFolder(folder);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const find = (flags: Record<string, string> = {}, environment: Record<string, string> = {}) =>
  findAccess(fakeApp({ cwd, environment }), flags);

describe('findAccess', () => {
  it('takes flags before the environment before the folder', () => {
    const key = devKey(folder);
    writeDevState(folder, { url: 'http://127.0.0.1:1234', pid: 1 });
    expect(find()).toEqual({ url: 'http://127.0.0.1:1234', key, tenant: null });
    const environment = {
      SIGNALBOX_URL: 'http://b:1',
      SIGNALBOX_KEY: 'from-b',
      SIGNALBOX_TENANT: 'acme',
    };
    expect(find({}, environment)).toEqual({ url: 'http://b:1', key: 'from-b', tenant: 'acme' });
    expect(find({ url: 'http://c:1', key: 'from-c', tenant: 't' }, environment)).toEqual({
      url: 'http://c:1',
      key: 'from-c',
      tenant: 't',
    });
  });

  it('does not give the key of the folder to another address', () => {
    devKey(folder);
    writeDevState(folder, { url: 'http://127.0.0.1:1234', pid: 1 });
    expect(() => find({ url: 'http://127.0.0.1:9' })).toThrow('no key for http://127.0.0.1:9');
    expect(() => find({}, { SIGNALBOX_URL: 'https://elsewhere' })).toThrow('no key for');
  });

  it('finds the node of another data folder by --data, before an address of the environment', () => {
    const other = join(cwd, 'other');
    mkdirSync(other);
    const key = devKey(other);
    const url = 'http://127.0.0.1:4321';
    writeDevState(other, { url, pid: 1 });
    const environment = { SIGNALBOX_URL: 'http://b:1', SIGNALBOX_KEY: 'from-b' };
    expect(find({ data: 'other' }, environment)).toEqual({ url, key, tenant: null });
    expect(find({}, { SIGNALBOX_DATA: 'other' })).toEqual({ url, key, tenant: null });
    expect(find({ data: 'other', url: 'http://c:1' }, environment).url).toBe('http://c:1');
    expect(() => find({ data: 'absent' }, environment)).toThrow(/there is no absent.dev\.json/);
  });

  it('says what to do where nothing is known, also with another data folder', () => {
    expect(() => find()).toThrow('no node is known here');
    expect(() => find()).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('--data FOLDER') }),
    );
  });

  const findAsWorker = (environment: Record<string, string>) => {
    const settings = readSettings({ parts: ['worker'], flags: {}, environment });
    return findWorkerAccess(fakeApp({ cwd, environment }), settings);
  };

  it('takes a worker to the node of the folder, and its key nowhere else', () => {
    expect(() => findAsWorker({})).toThrow('no node is known here');
    const key = devKey(folder);
    const url = 'http://127.0.0.1:1234';
    writeDevState(folder, { url, pid: 1 });
    expect(findAsWorker({})).toEqual({ urls: [url], key });
    expect(findAsWorker({ SIGNALBOX_URL: 'http://b:1', SIGNALBOX_KEY: 'k' })).toEqual({
      ...{ urls: ['http://b:1'], key: 'k' },
    });
    expect(() => findAsWorker({ SIGNALBOX_URL: 'http://b:1' })).toThrow('no key for http://b:1');
    const both = { SIGNALBOX_URL: `${url},http://b:1` };
    expect(() => findAsWorker(both)).toThrow(`no key for ${url}`);
    expect(findAsWorker({ ...both, SIGNALBOX_KEY: 'k' }).urls).toEqual([url, 'http://b:1']);
    expect(() => findAsWorker({ SIGNALBOX_URL: 'nowhere' })).toThrow('is not an address such as');
  });
});

describe('the data folder', () => {
  it('makes a key once, which only its owner can read', () => {
    const key = devKey(folder);
    const path = join(folder, 'key');
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(devKey(folder)).toBe(key);
    expect(readFileSync(path, 'utf8').trim()).toBe(key);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('closes a key that others could read', () => {
    const path = join(folder, 'key');
    writeFileSync(path, `${'k'.repeat(64)}\n`, { mode: 0o644 });
    devKey(folder);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('belongs to one at a time, and is free again afterwards', () => {
    const unlock = lockFolder(folder);
    writeDevState(folder, { url: 'http://127.0.0.1:1234', pid: 77 });
    expect(() => lockFolder(folder)).toThrow(
      `signalbox dev is already running on ${folder}, at http://127.0.0.1:1234 (process 77)`,
    );
    unlock();
    lockFolder(folder)();
  });
});
