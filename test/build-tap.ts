import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const built = new URL('../node_modules/@tapjs/test/test-built/dist/esm/index.js', import.meta.url)

/** Builds tap with the plugins of `.taprc`, once per installation. */
export async function buildTap(): Promise<void> {
  if (readFileSync(built, 'utf8').includes('@tapjs/typescript')) await promisify(execFile)('tap', ['build'])
}
