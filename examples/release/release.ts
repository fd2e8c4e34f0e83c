// Waits that hold no worker: a person, a while, and a task that is skipped where it is not needed.
import { cel, type Pipeline, pipeline } from 'signalbox';

interface Change {
  readonly version: string;
  readonly isUrgent: boolean;
}

export const release = pipeline('release-change', (p: Pipeline<Change>) => {
  const build = p.task('build', ({ version }) => ({ image: `shop:${version}`, warnings: 0 }));
  const night = p.sleep('night', { for: '8h', when: cel`!${p.input.isUrgent}` });
  const approve = p.approval('approve', {
    after: [night],
    ifParentSkipped: 'run',
    when: cel`${p.input.isUrgent} || ${build.output.warnings} == 0`,
    message: 'Put it before customers?',
    timeout: '1d',
    default: 'reject',
  });
  return p.task(
    'publish',
    { inputs: { image: build.output.image, by: approve.output.by } },
    ({ image, by }) => `${image} published, approved by ${by}`,
  );
});
