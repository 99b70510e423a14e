import { parseJson } from '../db/templates/table/document.ts'

/** The types with a `nodeId`, Relay "Global Object Identification", and the key that it is made from. */
interface Keys {
  ProductTemplate: [id: number]
  ProductRevision: [templateId: number, number: number]
  RevisionAuthor: [subject: string | null, clientId: string, name: string | null]
}

/** Makes the `nodeId` of an object. */
export const toNodeId = <Type extends keyof Keys>(type: Type, ...key: Keys[Type]): string =>
  Buffer.from(JSON.stringify([type, ...key])).toString('base64url')

/** Parses a `nodeId` without checking the key; undefined if it is malformed. */
export function fromNodeId(nodeId: string): [type: string, ...key: unknown[]] | undefined {
  const parsed = parseJson(Buffer.from(nodeId, 'base64url').toString())
  return Array.isArray(parsed) && typeof parsed[0] === 'string' ? (parsed as [string]) : undefined
}
