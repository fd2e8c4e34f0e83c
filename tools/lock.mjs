// A lock between processes, as a file that holds the owner's process id.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const pollMs = 100;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function tryTake(file) {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Removes a dead owner's lock. The move is atomic, so of two that try, one moves it. */
function removeIfDead(file) {
  const owner = read(file);
  if (owner === undefined || owner === '' || isAlive(Number(owner))) return;
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  // Another process may have replaced the lock between the look and the move: give it back.
  if (read(aside) !== owner) renameSync(aside, file);
  else rmSync(aside);
}

/** Runs `work` while no other process holds `file`. */
export async function withLock(file, work) {
  while (!tryTake(file)) {
    removeIfDead(file);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}
