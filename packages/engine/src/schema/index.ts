export * from './common.ts'
