/**
 * Documents the plugin's options in the declarations of `options/index.ts` for editors. The source derives the options'
 * type from the table of settings, for which TypeScript 7 shows no comments. They need explicit properties.
 */
import { listPluginSettings } from '../options/index.ts'
import type { Setting } from '../options/setting.ts'

/** The interface: empty as compiled, or with the properties of the last build. */
const serviceOptions = /^(export interface ServiceOptions .*\{\n)[\s\S]*?^\}/m

/**
 * Adds each setting as a property of `ServiceOptions`. The interface still extends the derived type, so both must
 * agree.
 */
export function documentOptions(declarations: string): string {
  if (!serviceOptions.test(declarations))
    throw new Error('options/index.d.ts does not declare ServiceOptions')
  const { common, hostOnly } = listPluginSettings()
  const properties = [...common, ...hostOnly].map(formatProperty).join('')
  return declarations.replace(serviceOptions, (_interface, head) => `${head}${properties}}`)
}

function formatProperty([option, entry]: [string, Setting]): string {
  const { env, description, default: value, minimum, maximum } = entry
  const facts = [
    minimum === undefined ? [] : `From ${minimum} to ${maximum}.`,
    value === undefined || entry.secret ? [] : `Default: \`${value}\`.`,
    env === undefined ? [] : `Environment variable of the command: \`${env}\`.`
  ].flat()
  return `    /**
     * ${description.charAt(0).toUpperCase()}${description.slice(1)}.
     *
     * ${facts.join(' ')}
     */
    ${option}?: ${formatType(entry)};
`
}

const formatType = ({ type, enum: names }: Setting): string =>
  names ? names.map(name => `'${name}'`).join(' | ') : type === 'integer' ? 'number' : type
