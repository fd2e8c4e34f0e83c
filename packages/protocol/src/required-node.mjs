// Plain JavaScript without imports: a Node.js that is too old has to get as far as the message.

/** The oldest Node.js that runs Signalbox; `engines` in every package.json says the same. */
export const REQUIRED_NODE = '22.19';

/**
 * Why Signalbox cannot run on this version, or null if it can.
 * @param {string} version as in `process.versions.node`
 * @returns {string | null}
 */
export function nodeProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [requiredMajor = 0, requiredMinor = 0] = REQUIRED_NODE.split('.').map(Number);
  const isEnough = major > requiredMajor || (major === requiredMajor && minor >= requiredMinor);
  return isEnough ? null : `signalbox needs Node.js ${REQUIRED_NODE} or newer, this is v${version}`;
}
