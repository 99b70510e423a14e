/**
 * Prints the changes of a release from its commits: `node deploy/release-notes.ts v0.2.0`. Groups the commits since
 * the previous tag by their type (conventionalcommits.org). Commits that only concern developers are left out. The
 * first release prints docs/changelog.md instead, because nobody has used what its commits changed.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const titles = { feat: 'New', fix: 'Corrected', perf: 'Faster' }

/** The type, scope and subject of a commit. `!` marks a breaking change. */
const header = /^(?<type>[a-z]+)(\((?<scope>[^)]+)\))?(?<breaks>!)?: (?<subject>.+)$/

const git = (...words: string[]): string =>
  execFileSync('git', words, { stdio: ['ignore', 'pipe', 'ignore'] }).toString()

function findTagBefore(tag: string): string | undefined {
  try {
    return git('describe', '--tags', '--abbrev=0', `${tag}^`).trim()
  } catch {
    // The first release.
    return undefined
  }
}

const [tag = 'HEAD'] = process.argv.slice(2)
const before = findTagBefore(tag)
if (before === undefined) {
  console.log(readFileSync(new URL('../docs/changelog.md', import.meta.url), 'utf8').replace(/^# .*\n+/, ''))
  process.exit()
}
const commits = git('log', '--reverse', '--format=%s', `${before}..${tag}`)
  .split('\n')
  .map(subject => subject.match(header)?.groups)
  .filter(groups => groups !== undefined)

const format = ({ scope, subject }: Record<string, string>) => `- ${scope ? `${scope}: ` : ''}${subject}`
const sections = [
  { title: 'Breaking', found: commits.filter(({ breaks }) => breaks) },
  ...Object.entries(titles).map(([type, title]) => ({
    title,
    found: commits.filter(commit => commit.type === type && !commit.breaks)
  }))
]
for (const { title, found } of sections)
  if (found.length > 0) console.log(`## ${title}\n\n${found.map(format).join('\n')}\n`)
