import type { ActionText, AuditAction } from '../../../../domain/audit-actions.ts'
import { additions } from '../../../../explorer/admin/additions.ts'
import { upperFirst } from '../../../../explorer/edit/problem.ts'
import { plural } from '../../../../explorer/format.ts'
import { metaContent } from '../../../../explorer/meta.ts'
import type { AuditEvent } from '../../../../packages/client/schema.ts'
import { roleLabel } from '../people/format.ts'

const ownActions: Record<AuditAction, ActionText> = {
  'user.add': { label: 'added or invited', verb: 'invited', own: 'got an account' },
  'user.update': { label: 'changed an account', verb: 'changed' },
  'user.disable': { label: 'disabled an account', verb: 'disabled' },
  'user.enable': { label: 'enabled an account', verb: 'enabled' },
  'user.delete': { label: 'deleted an account', verb: 'deleted' },
  'user.create_link': { label: 'made a password link', verb: 'made a password link for' },
  'user.use_link': {
    label: 'used a password link',
    verb: 'used the password link of',
    own: 'chose a password with a link'
  },
  'user.set_password': { label: 'set a password', verb: 'set the password of' },
  'user.change_password': {
    label: 'changed a password',
    verb: 'changed the password of',
    own: 'changed the password'
  },
  'user.log_in': { label: 'logged in', verb: 'logged in', own: 'logged in' },
  'user.end_sessions': {
    label: 'ended all sessions',
    verb: 'ended all sessions of',
    own: 'logged out everywhere'
  },
  'user.end_session': {
    label: 'logged out a browser',
    verb: 'logged out a browser of',
    own: 'logged out a browser'
  },
  'user.end_login': {
    label: 'logged out an application',
    verb: 'logged out an application of',
    own: 'logged out an application'
  },
  'user.revoke_consent': {
    label: 'revoked a consent',
    verb: 'revoked a consent of',
    own: 'revoked a consent'
  },
  'client.add': { label: 'added a client', verb: 'added the client' },
  'client.update': { label: 'changed a client', verb: 'changed the client' },
  'client.rotate_secret': { label: 'replaced a secret', verb: 'replaced the secret of' },
  'client.disable': { label: 'disabled a client', verb: 'disabled the client' },
  'client.enable': { label: 'enabled a client', verb: 'enabled the client' },
  'client.delete': { label: 'deleted a client', verb: 'deleted the client' },
  'key.publish': { label: 'published a key', verb: 'published the signing key' },
  'key.activate': { label: 'activated a key', verb: 'activated the signing key' },
  'key.reencrypt': { label: 'encrypted a key anew', verb: 'encrypted anew the signing key' },
  'key.delete': { label: 'deleted a key', verb: 'deleted the signing key' }
}

/** The actions of the core, and those of the features, which the service writes into the page. */
const actions: Record<string, ActionText> = { ...ownActions, ...JSON.parse(metaContent('actions') || '{}') }

/** The choices of the action filter. */
export const actionChoices = Object.entries(actions).map(([name, { label }]): [string, string] => [
  name,
  upperFirst(label)
])

/** Returns the name of the actor. */
export function nameActor({ actor: { name, clientId, subject } }: AuditEvent): string {
  return name ?? clientId ?? subject ?? 'The service or its host'
}

/** The details that `recordEvent` stores for actions on users and clients. */
interface Details {
  email?: string
  role?: string | { from: string; to: string }
  where?: { to: object | null }
  changed?: string[]
  clientId?: string
  overlap?: number
}

interface EventText {
  verb: string
  /** Undefined if the actor is the target. */
  target?: string
  detail: string
}

/** Describes an event. An action that this version does not know is shown as its code. */
export function describeEvent(event: AuditEvent): EventText {
  const { action, actor, targetId } = event
  const known: ActionText | undefined = actions[action]
  const details = event.details as Details
  const added = additions.map(part => part.describeDetails?.(event) ?? '')
  const detail = describeDetails(action, details) + added.join('')
  if (actor.subject === targetId && known?.own !== undefined) return { verb: known.own, detail }
  const isCommand = actor.clientId === 'command line'
  const verb = action === 'user.add' && isCommand ? 'added' : (known?.verb ?? action)
  return { verb, target: details.email ?? targetId, detail }
}

/** Describes the details, such as ` as editor` or `: role from editor to publisher`. */
function describeDetails(action: string, details: Details): string {
  const { role, clientId, overlap = 0 } = details
  if (action === 'user.add') return typeof role === 'string' ? ` as ${roleName(role)}` : ''
  if (action === 'user.update' || action === 'client.update') return describeChanges(action, details)
  if (action === 'user.revoke_consent') return ` to ${clientId}`
  if (action === 'client.rotate_secret' && overlap > 0)
    return `; the old one was to work for ${formatDuration(overlap)} more`
  return ''
}

const roleName = (role: string): string => roleLabel(role).toLowerCase()

const fieldLabels: Record<string, string> = {
  firstName: 'first name',
  lastName: 'last name',
  mobile: 'mobile number',
  displayName: 'name',
  grantTypes: 'how the client gets tokens',
  firstParty: 'whether users are asked for consent',
  mayIntrospect: 'whether it may introspect tokens',
  redirectUris: 'redirect URIs'
}

function describeChanges(action: string, details: Details): string {
  const { role, where } = details
  const changed = action === 'user.update' ? (details.changed ?? []) : Object.keys(details)
  const parts = [
    ...(typeof role === 'object' ? [`role from ${roleName(role.from)} to ${roleName(role.to)}`] : []),
    ...(where ? [where.to === null ? 'all templates instead of some' : 'the rule on templates'] : []),
    ...changed.map(name => fieldLabels[name] ?? name)
  ]
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`
}

function formatDuration(seconds: number): string {
  if (seconds % 86_400 === 0) return plural(seconds / 86_400, 'day')
  return seconds % 3600 === 0 ? plural(seconds / 3600, 'hour') : plural(seconds, 'second')
}
