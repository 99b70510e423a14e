import { write } from '../asking.ts'
import type { Input } from './candidate.ts'

export interface Result {
  created: number
  replaced: number
  unchanged: number
  kept: number
  userErrors: { message: string; path: string[] }[]
}

const mutation = `mutation Import($input: [ImportProductInput!]!, $mode: ImportMode!, $message: String) {
  importProducts(input: $input, mode: $mode, message: $message) {
    created replaced unchanged kept userErrors { message path } } }`

/** Imports all templates, or none if there is an error. */
export const send = async (input: Input[], mode: 'KEEP' | 'REPLACE', message: string): Promise<Result> =>
  (await write<{ importProducts: Result }>(mutation, { input, mode, message: message || undefined }))
    .importProducts
