/** Changed only functions, which are files now (functions/*.sql). The name stays: existing databases list it as applied. */
export async function up(): Promise<void> {}
