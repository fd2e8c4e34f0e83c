import { afterEach, expect, it, vi } from 'vitest';
import { fakeApp } from '../testing/fake-app.ts';
import { untilStopped } from './until-stopped.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.removeAllListeners('SIGHUP');
});

it('tells a second signal from a repetition also while the wall clock stands still', () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const { terminal } = fakeApp({ now: 0 });
  void untilStopped(terminal, () => new Promise(() => {}));
  const signal = () => process.emit('SIGHUP', 'SIGHUP');
  signal();
  clock.mockReturnValue(1_100);
  signal();
  expect(exit).not.toHaveBeenCalled();
  clock.mockReturnValue(1_500);
  signal();
  expect(exit).toHaveBeenCalledWith(130);
});
