export * from './templates/snapshot.ts'
