/** The library fast-check, whose values are the same on the same commit. */
import fc from 'fast-check'
import { seed } from './seed.ts'

fc.configureGlobal({ seed })

export default fc
