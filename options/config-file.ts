import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { findUnknownNames } from './check.ts'

/**
 * Reads a file of settings, JSON or `.env` syntax; both have the names of the variables. Adds to `problems` what is wrong,
 * never a value: it may be a secret.
 */
export function readConfigFile(path: string, known: string[], problems: string[]): Record<string, string> {
  const values = parseFile(path, problems)
  problems.push(...findUnknownNames(Object.keys(values), known).map(problem => `${path}: ${problem}`))
  return values
}

function parseFile(path: string, problems: string[]): Record<string, string> {
  try {
    const text = readFileSync(path, 'utf8')
    return text.trimStart().startsWith('{')
      ? parseJson(path, text, problems)
      : parseLines(path, text, problems)
  } catch (error) {
    // Without the message of the JSON parser, which quotes the file.
    const { code = 'it is not valid JSON' } = error as NodeJS.ErrnoException
    problems.push(`CONFIG_FILE cannot be read (${code}): ${path}`)
    return {}
  }
}

function parseJson(path: string, text: string, problems: string[]): Record<string, string> {
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
  const wrong = entries.filter(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))
  problems.push(...wrong.map(([name]) => `${path}: ${name} must be a string, a number or a boolean`))
  const right = entries.filter(entry => !wrong.includes(entry))
  return Object.fromEntries(right.map(([name, value]) => [name, String(value)]))
}

/** A quoted value may have several lines. */
const quoted = /=[^\S\n]*(["'`])(?:(?!\1).)*\1/gs

/** Parses the syntax of `.env` as Node.js does, which ignores a line that it cannot read. */
function parseLines(path: string, text: string, problems: string[]): Record<string, string> {
  const lines = text.replace(quoted, found => `=${'\n'.repeat(found.split('\n').length - 1)}`).split('\n')
  for (const [index, line] of lines.entries())
    if (!/^\s*(#.*|(export\s+)?[A-Za-z_]\w*\s*=.*|)$/.test(line) && line.trim() !== '')
      problems.push(`${path}: line ${index + 1} is not NAME=value`)
  return parseEnv(text) as Record<string, string>
}
