<?xml version="1.0"?>
<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:svrl="http://purl.oclc.org/dsdl/svrl" xmlns:c="urn:example:choir" xmlns:f="urn:example:functions" xmlns:xs="http://www.w3.org/2001/XMLSchema" version="2.0">
  <xsl:param name="archiveDirParameter"/>
  <xsl:variable name="document-uri"><xsl:value-of select="document-uri(/)"/></xsl:variable>
  <xsl:output method="xml"/>
  <xsl:function as="xs:boolean" name="f:even">
    <xsl:param as="xs:integer" name="n"/>
    <xsl:sequence select="$n mod 2 = 0"/>
  </xsl:function>
  <xsl:template match="*" mode="schematron-select-full-path"><xsl:text>/</xsl:text></xsl:template>
  <xsl:template match="text()" priority="-1"/>
  <xsl:template match="/">
    <svrl:schematron-output schemaVersion="" title="Notes of  a choir">
      <xsl:attribute name="phase">main</xsl:attribute>
      <xsl:comment><xsl:value-of select="$archiveDirParameter"/></xsl:comment>
      <svrl:ns-prefix-in-attribute-values prefix="c" uri="urn:example:choir"/>
      <svrl:active-pattern>
        <xsl:attribute name="document"><xsl:value-of select="document-uri(/)"/></xsl:attribute>
        <xsl:attribute name="id">voices</xsl:attribute>
        <xsl:apply-templates/>
      </svrl:active-pattern>
      <xsl:apply-templates mode="M7" select="/"/>
      <svrl:active-pattern id="bars"/>
      <xsl:apply-templates mode="M3" select="/"/>
    </svrl:schematron-output>
  </xsl:template>
  <xsl:param name="tempo" select="/c:song/@tempo"/>
  <svrl:text>Notes of a choir</svrl:text>
  <!-- bars: its mode stands before that of the pattern that is applied first -->
  <xsl:template match="c:bar" mode="M3" priority="1000">
    <svrl:fired-rule context="c:bar"/>
    <xsl:choose>
      <xsl:when test="*"/>
      <xsl:otherwise>
        <svrl:failed-assert test="*" id="B-1">
          <xsl:attribute name="location"><xsl:apply-templates mode="schematron-select-full-path" select="."/></xsl:attribute>
          <svrl:text>A bar has notes.</svrl:text>
        </svrl:failed-assert>
      </xsl:otherwise>
    </xsl:choose>
    <xsl:apply-templates mode="M3" select="*"/>
  </xsl:template>
  <xsl:template match="text()" mode="M3" priority="-1"/>
  <xsl:template match="@*|node()" mode="M3" priority="-2"><xsl:apply-templates mode="M3" select="@*|*"/></xsl:template>
  <!-- voices -->
  <xsl:variable name="known" select="('S', 'A', 'T', 'B')"/>
  <xsl:template match="c:*" mode="M7" priority="1000">
    <svrl:fired-rule context="c:*"/>
    <xsl:choose>
      <xsl:when test="@*"/>
      <xsl:otherwise>
        <svrl:failed-assert test="@*"><xsl:attribute name="id">V-5</xsl:attribute><svrl:text>Some attribute.</svrl:text></svrl:failed-assert>
      </xsl:otherwise>
    </xsl:choose>
    <xsl:apply-templates mode="M7" select="@*|*|comment()|processing-instruction()"/>
  </xsl:template>
  <xsl:template match="c:voice[@name = '{}']" mode="M7" priority="1001">
    <svrl:fired-rule context="c:voice[@name = '{{}}']"/>
    <xsl:choose>
      <xsl:when test="true()"/>
      <xsl:otherwise><svrl:failed-assert test="true()" id="V-4"><svrl:text>never</svrl:text></svrl:failed-assert></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template match="c:voice" mode="M7" priority="1001">
    <svrl:fired-rule context="c:voice" id="r-voice"><xsl:attribute name="role">serious</xsl:attribute></svrl:fired-rule>
    <xsl:variable name="name" select="@name"/>
    <xsl:choose>
      <xsl:when test="$name = $known"/>
      <xsl:otherwise>
        <svrl:failed-assert test="$name = $known">
          <xsl:attribute name="id">V-1</xsl:attribute>
          <xsl:attribute name="flag">fatal</xsl:attribute>
          <xsl:attribute name="role">error</xsl:attribute>
          <svrl:text>[V-1]
            <xsl:text/><xsl:value-of select="name(.)"/><xsl:text/> is "<xsl:text/>
            <xsl:value-of select="$name"/>
            <xsl:text/>": one of S, A, T and B.</svrl:text>
          <svrl:diagnostic-reference diagnostic="d-voice"><svrl:text>It was <xsl:value-of select="$name"/>.</svrl:text></svrl:diagnostic-reference>
        </svrl:failed-assert>
      </xsl:otherwise>
    </xsl:choose>
    <xsl:if test="matches($name, '^.{2,4}$')">
      <svrl:successful-report test="matches($name, '^.{2,4}$')">
        <xsl:attribute name="flag">warning</xsl:attribute>
        <svrl:text>[V-2] A voice has one letter.</svrl:text>
      </svrl:successful-report>
    </xsl:if>
    <xsl:variable name="late" select="f:even(count(c:bar))"/>
    <xsl:choose>
      <xsl:when test="$late"/>
      <xsl:otherwise>
        <svrl:failed-assert test="$late"><svrl:text>Bars come {two} by two.</svrl:text></svrl:failed-assert>
      </xsl:otherwise>
    </xsl:choose>
    <xsl:apply-templates mode="M7" select="@*|*"/>
  </xsl:template>
  <xsl:template match="text()" mode="M7" priority="-1"/>
</xsl:stylesheet>
