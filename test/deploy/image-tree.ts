/**
 * Carries out deploy/Dockerfile without a container engine: the file tree of the image, in a folder. What it cannot do
 * is replaced: base images (the runtime and the C library of this machine), `npm ci` and `build/install.ts` (the
 * packages of the checkout) and the installation of Debian's packages.
 */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast'
import { withoutRunner } from '../support/service/process.ts'

export const checkout = new URL('../../', import.meta.url).pathname
const file = readFileSync(join(checkout, 'deploy/Dockerfile'), 'utf8')
const ignored = readFileSync(join(checkout, 'deploy/Dockerfile.dockerignore'), 'utf8').split('\n')

/** This machine's, as Docker names it. */
const architecture = process.arch === 'x64' ? 'amd64' : process.arch

interface Stage {
  /** The root of its files. */
  root: string
  directory: string
  variables: Record<string, string>
}

/** Builds the tree below `folder` and returns its root. */
export function buildTree(folder: string): string {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const instruction of DockerfileParser.parse(file).getInstructions()) {
    const words = instruction.getArguments().map(argument => argument.getValue())
    const keyword = instruction.getKeyword()
    if (keyword === 'FROM') {
      const name = words.at(-2)?.toUpperCase() === 'AS' ? (words.at(-1) ?? '') : 'image'
      stage = { root: join(folder, name), directory: '/', variables: { TARGETARCH: architecture } }
      stages.set(name, stage)
      if (name === 'node') provideRuntime(stage.root)
      if (name === 'image') provideLibraries(stage.root)
    } else if (stage) carryOut(instruction, words, stage, stages)
  }
  return join(folder, 'image')
}

function carryOut(instruction: Instruction, words: string[], stage: Stage, stages: Map<string, Stage>): void {
  const keyword = instruction.getKeyword()
  if (keyword === 'WORKDIR') {
    stage.directory = words[0] ?? '/'
    mkdirSync(join(stage.root, stage.directory), { recursive: true })
  } else if (keyword === 'ARG') {
    const [name = '', value = ''] = words.join(' ').split('=')
    stage.variables[name] ??= value.replaceAll('"', '')
  } else if (keyword === 'COPY') {
    const from = (instruction as Copy).getFromFlag()?.getValue()
    copy(words.slice(0, -1), words.at(-1) ?? '', stage, from ? stages.get(from)?.root : undefined)
  } else if (keyword === 'RUN') run(instruction.getRawArgumentsContent() ?? '', stage)
}

function copy(sources: string[], target: string, stage: Stage, from = checkout): void {
  const to = target.startsWith('/') ? join(stage.root, target) : join(stage.root, stage.directory, target)
  const into = target.endsWith('/') || sources.length > 1
  for (const source of sources) {
    if (source === '.') copyContext(to)
    else
      for (const path of globSync(join(from, source))) {
        const end = into ? join(to, path.split('/').at(-1) ?? '') : to
        copyOne(path, end)
      }
  }
}

/** Copies what .dockerignore leaves of the checkout. */
function copyContext(to: string): void {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: checkout
  })
  for (const path of listed.toString().trim().split('\n'))
    if (
      !ignored.some(name => path === name || path.startsWith(`${name}/`)) &&
      existsSync(join(checkout, path))
    )
      copyOne(join(checkout, path), join(to, path))
}

/** Copies a folder, or the file that a path names. */
function copyOne(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  if (statSync(from).isDirectory()) cpSync(from, to, { recursive: true })
  else copyFileSync(from, to)
}

function run(command: string, { root, directory, variables }: Stage): void {
  if (command.startsWith('apt-get')) return
  if (/^npm ci|^node build\/install/.test(command)) {
    const packages = join(/install\.ts (.*)/.exec(command)?.[1] ?? '', 'node_modules')
    symlinkSync(join(checkout, packages), join(root, directory, packages))
    return
  }
  // The only absolute path of a command; `strip` is missing on a machine without a compiler.
  const here = command
    .replace('/runtime/', `${root}/runtime/`)
    .replace(/^strip /, 'command -v strip > /dev/null || exit 0; strip ')
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const env = { ...process.env, ...variables, PATH, npm_config_prefer_offline: 'true' }
  const words = [...withoutRunner, 'sh', '-c', here.replaceAll('\\\n', '')]
  execFileSync('env', words, { cwd: join(root, directory), env, stdio: 'pipe' })
}

/** The files that the image takes of Node's own image. */
function provideRuntime(root: string): void {
  copyOne(process.execPath, join(root, 'usr/local/bin/node'))
  for (const path of listLibraries().filter(path => path.includes('libatomic')))
    copyOne(path, join(root, `usr/lib/${process.arch}-linux-gnu`, path.split('/').at(-1) ?? ''))
}

/** What distroless/cc has, as far as the service needs it. */
function provideLibraries(root: string): void {
  for (const path of globSync('/lib/*-linux-gnu/{librt,libresolv,libnss_dns,libnss_files}.so.*'))
    copyOne(path, join(root, path))
  for (const path of listLibraries().filter(path => !path.includes('libatomic')))
    copyOne(path, join(root, path))
  for (const folder of ['tmp', 'proc', 'dev', 'etc', 'run'])
    mkdirSync(join(root, folder), { recursive: true })
}

const listLibraries = (): string[] =>
  execFileSync('ldd', [process.execPath])
    .toString()
    .split('\n')
    .flatMap(line => line.match(/\/\S+(?= \()/)?.[0] ?? [])
