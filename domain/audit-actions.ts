/** The actions of the core that are recorded. The part before the dot is the kind of the target. */
export const auditActions = [
  'user.add',
  'user.update',
  'user.disable',
  'user.enable',
  'user.delete',
  'user.create_link',
  'user.use_link',
  'user.set_password',
  'user.change_password',
  'user.log_in',
  'user.end_sessions',
  'user.end_session',
  'user.end_login',
  'user.revoke_consent',
  'client.add',
  'client.update',
  'client.rotate_secret',
  'client.disable',
  'client.enable',
  'client.delete',
  'key.publish',
  'key.activate',
  'key.reencrypt',
  'key.delete'
] as const
export type AuditAction = (typeof auditActions)[number]

/** The words for an action in lists for people. */
export interface ActionText {
  /** The option in the filter of actions, such as `changed an account`. */
  label: string
  /** The text between the actor and the target. */
  verb: string
  /** The verb if the actor is the target. */
  own?: string
}
