// Runs on SQLite only, in test:all only.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, t } from 'tap'
import { has } from './programs.ts'
import { isSetting } from './settings.ts'

const folder = new URL('../../deploy/systemd/', import.meta.url).pathname
const skip = has('systemd-analyze') ? false : 'needs systemd-analyze'
const unit = readFileSync(join(folder, 'product-templates.service'), 'utf8')
const socket = readFileSync(join(folder, 'product-templates.service.d/socket.conf'), 'utf8')

/** Runs systemd-analyze; returns what it printed, and its exit code if that is not 0. */
function analyze(words: string[]): string {
  try {
    return execFileSync('sh', ['-c', 'systemd-analyze "$@" 2>&1', 'sh', ...words]).toString()
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: Buffer }
    return `exit code ${status}: ${stdout}`
  }
}

/** The unit with a program that this machine has; with `more`, with the settings for a socket. */
function installUnit(t: Test, more: boolean): string {
  const directory = mkdtempSync(join(tmpdir(), 'product-templates-unit-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  cpSync(folder, directory, { recursive: true })
  if (!more) rmSync(join(directory, 'product-templates.service.d'), { recursive: true })
  const path = join(directory, 'product-templates.service')
  writeFileSync(path, unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`))
  return path
}

t.test('systemd finds no fault in the unit, with and without the socket', { skip }, async t => {
  for (const more of [false, true]) {
    t.equal(analyze(['verify', '--man=no', installUnit(t, more)]), '')
  }
})

t.test('systemd calls the exposure of the unit low, and lower with a socket', { skip }, async t => {
  const measure = (more: boolean) =>
    Number(analyze(['security', '--offline=yes', installUnit(t, more)]).match(/service: ([\d.]+)/)?.[1])
  t.ok(measure(false) <= 1)
  t.ok(measure(true) <= 0.3)
})

t.test('every setting in the unit exists', async t => {
  for (const [line] of `${unit}${socket}`.matchAll(/^Environment=.*$/gm))
    for (const [, name = ''] of line.replace('Environment=', '').matchAll(/([A-Z_]+)=/g))
      t.ok(name === 'NODE_ENV' || isSetting(name), name)
})
